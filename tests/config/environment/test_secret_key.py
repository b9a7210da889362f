import subprocess
import sys
from pathlib import Path

from config.environment.secret_key import kept_secret_key
from tests.support.project import PROJECT


class TestKeptSecretKey:
    def test_is_made_once(self, tmp_path: Path) -> None:
        key = kept_secret_key(tmp_path / "var" / "secret-key")
        assert len(key) >= 50
        assert kept_secret_key(tmp_path / "var" / "secret-key") == key

    def test_is_its_owners_alone(self, tmp_path: Path) -> None:
        kept_secret_key(tmp_path / "secret-key")
        assert (tmp_path / "secret-key").stat().st_mode & 0o777 == 0o600

    def test_leaves_no_draft_behind(self, tmp_path: Path) -> None:
        kept_secret_key(tmp_path / "secret-key")
        assert list(tmp_path.iterdir()) == [tmp_path / "secret-key"]

    def test_is_the_same_for_all_that_start_together(self, tmp_path: Path) -> None:
        source = (
            "import sys; from pathlib import Path;"
            "from config.environment.secret_key import kept_secret_key;"
            "sys.stdin.read(); print(kept_secret_key(Path(sys.argv[1])))"
        )
        command = [sys.executable, "-c", source, str(tmp_path / "secret-key")]
        starters = [
            subprocess.Popen(command, cwd=PROJECT, stdin=-1, stdout=-1, text=True) for _ in range(4)
        ]
        for starter in starters:
            assert starter.stdin
            starter.stdin.close()
        keys = set()
        for starter in starters:
            with starter:
                assert starter.stdout
                keys.add(starter.stdout.read())
        assert len(keys) == 1
