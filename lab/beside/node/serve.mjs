// Answers each line of JSON with a line of JSON: a page, and the processor time that it took.
import { createInterface } from "node:readline";

const { page } = await import(`./${process.argv[2]}.mjs`);
for await (const line of createInterface({ input: process.stdin })) {
  const { shelves, link, times } = JSON.parse(line);
  const begun = process.cpuUsage();
  let answer;
  try {
    for (let time = 1; time < times; time += 1) await page(shelves, link);
    const [items, next, previous] = await page(shelves, link);
    answer = { ids: items.map((item) => item.id), next, previous };
  } catch (error) {
    answer = { error: error.constructor.name };
  }
  const { user, system } = process.cpuUsage(begun);
  console.log(JSON.stringify({ ...answer, seconds: (user + system) / 1e6 }));
}
