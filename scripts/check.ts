import { spawnSync } from 'node:child_process';

/** `npm run check`: everything but the tests. All checks run, so that one sees all that is wrong at once. */
const checks = ['check:types', 'check:lint', 'check:dependencies', 'check:unused', 'check:drift'];

const failed = checks.filter((check) => {
  console.log(`\n— ${check}`);
  return spawnSync('npm', ['run', '--silent', check], { stdio: 'inherit' }).status !== 0;
});
if (failed.length > 0) {
  console.error(`\nFailed: ${failed.join(', ')}`);
  process.exit(1);
}
console.log('\nAll checks passed.');
