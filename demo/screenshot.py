"""The pictures of the README: ``make screenshot`` writes them to docs/, or the folder it is given.

The sample shop runs on a folder of its own, while Chromium takes pictures of a product.
"""

import os
import shutil
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright

from dynapages.engine.server import LOOPBACK, Child, answers, free_port

ROOT = Path(__file__).resolve().parent.parent
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome", "chromium-headless-shell")
PRODUCT = "products/enamelled-frying-pan/"
PICTURES = (
    ("screenshot", PRODUCT, (1280, 1780), "light"),
    ("screenshot-dark", PRODUCT, (1280, 1780), "dark"),
    ("screenshot-phone", f"{PRODUCT}comments/~/1.2/", (390, 844), "light"),
)
"""Names of files, pages, sizes in CSS pixels, and colour schemes."""


def take_pictures(folder: Path) -> None:
    """Write the pictures to ``folder``; end with a sentence where that cannot be."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        sys.exit("Chromium is not installed here: 'apt-get install chromium' or the like.")
    folder.mkdir(parents=True, exist_ok=True)
    port = free_port()
    command = [sys.executable, str(ROOT / "manage.py"), "demo", "--port", str(port)]
    with TemporaryDirectory() as var:
        # The user's settings would show in a picture, or reach an AWS account.
        environment = {"PATH": os.environ["PATH"], "VAR_DIR": var}
        with Child(command, env=environment) as shop:
            while not answers(port, path="/healthz"):
                if shop.poll() is not None:
                    sys.exit("The sample shop did not open; see above.")
                time.sleep(0.2)
            with sync_playwright() as playwright:
                chromium = playwright.chromium.launch(executable_path=browser)
                for name, address, (width, height), scheme in PICTURES:
                    page = chromium.new_page(
                        viewport={"width": width, "height": height},
                        color_scheme="dark" if scheme == "dark" else "light",
                        locale="en-GB",
                    )
                    page.goto(f"http://{LOOPBACK}:{port}/{address}")
                    page.screenshot(path=folder / f"{name}.png")
                    page.close()


if __name__ == "__main__":
    take_pictures(Path(sys.argv[1]) if sys.argv[1:] else ROOT / "docs")
