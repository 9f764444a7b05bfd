import { writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { Cleanup } from './cleanup.ts';
import { EXPORT_NAME, measureExport } from './export.ts';
import { growthName, growthOperations, measureGrowth } from './growth.ts';
import { MEMORY_NAME, measureMemory } from './memory.ts';
import { measureNeighbour, neighbourName, neighbourOperations } from './neighbour.ts';
import { measurePair, pairs } from './pairs.ts';
import { fullPlan, quickPlan } from './plan.ts';
import { allMet, type Results, report } from './report.ts';
import { setStage } from './stage.ts';

/**
 * `npm run bench`: our server against bare ones, and against itself with more data, all on this machine. Prints tables
 * and writes results.json; ends with an error if any answer was not a 2xx or a target was missed.
 * `--quick` only shows that everything answers: its figures are too short to be judged, and are not written.
 * `--only <text>` takes what has the text in its name.
 */
const { values: options } = parseArgs({ options: { quick: { type: 'boolean' }, only: { type: 'string' } } });
const isQuick = options.quick === true;
const plan = isQuick ? quickPlan : fullPlan;
const RESULTS = new URL('results.json', import.meta.url);

const isWanted = (name: string): boolean => options.only === undefined || name.includes(options.only);
const names = [
  ...(plan.memoryRequests === null ? [] : [MEMORY_NAME]),
  ...pairs.map(({ name }) => name),
  ...neighbourOperations.map(neighbourName),
  ...growthOperations.map(growthName),
  EXPORT_NAME,
];
if (!names.some(isWanted)) {
  console.error(`Nothing matches "${options.only}". There are:\n${names.join('\n')}`);
  process.exit(1);
}

const cleanup = new Cleanup();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => void cleanup.run().then(() => process.exit(1)));
}
try {
  const results = await bench();
  console.log(`\n${report(results)}\n`);
  if (options.only === undefined && !isQuick) await keep(results);
  process.exitCode = allMet(results) || isQuick ? 0 : 1;
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  await cleanup.run();
}

/** In an order that matters: memory wants servers that have done nothing yet, neighbours a database still small. */
async function bench(): Promise<Results> {
  const cores = availableParallelism();
  if (cores !== 2) console.error(`The targets are meant for two cores; this machine has ${cores}.`);
  const stage = await setStage(cleanup);

  const memory =
    plan.memoryRequests !== null && isWanted(MEMORY_NAME)
      ? await told(MEMORY_NAME, measureMemory(stage, plan.memoryRequests))
      : undefined;
  const pairResults = await oneByOne(
    pairs.filter(({ name }) => isWanted(name)),
    (pair) => told(pair.name, measurePair(pair, stage, plan)),
  );
  const neighbours = neighbourOperations.filter((operation) => isWanted(neighbourName(operation)));
  const neighbour =
    neighbours.length > 0 ? await told('neighbour', measureNeighbour(neighbours, stage, plan)) : [];
  const growth = await oneByOne(
    growthOperations.filter((operation) => isWanted(growthName(operation))),
    (operation) => told(growthName(operation), measureGrowth(operation, stage, plan)),
  );
  const exported = isWanted(EXPORT_NAME) ? await told(EXPORT_NAME, measureExport(stage, plan)) : undefined;
  return {
    pairs: pairResults,
    neighbour,
    growth,
    ...(memory && { memory }),
    ...(exported && { export: exported }),
  };
}

async function oneByOne<T, R>(items: readonly T[], measure: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const item of items) results.push(await measure(item));
  return results;
}

/** Says that something is done, and after how long: the whole takes a while. */
async function told<T extends object>(name: string, measuring: Promise<T>): Promise<T> {
  const startedAt = performance.now();
  const result = await measuring;
  const figure = 'ratio' in result ? result.ratio : 'cost' in result ? result.cost : undefined;
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  console.error(`${name}: ${typeof figure === 'number' ? figure.toFixed(3) : 'done'} (${seconds} s)`);
  return result;
}

async function keep(results: Results): Promise<void> {
  const about = {
    date: new Date().toISOString(),
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    cores: availableParallelism(),
  };
  await writeFile(RESULTS, `${JSON.stringify({ ...about, plan, ...results }, null, 2)}\n`);
}
