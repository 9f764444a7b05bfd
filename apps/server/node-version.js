// Plain JavaScript, so that a Node too old for the TypeScript sources can still read this and say what it lacks.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

/** Loads the module, or says in one line why it cannot. */
export async function runOnNode24(load) {
  if (major > 24 || (major === 24 && minor >= 7)) return load();
  console.error(
    `Tenantry needs Node 24.7 or later and this is Node ${process.versions.node}: run it by "npm start" or "npm test" ` +
      'after "npm ci", which brings its own (node_modules/.bin/node), or install Node 24.',
  );
  process.exitCode = 1;
}
