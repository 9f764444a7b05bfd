const layer = (name) => `^apps/server/src/${name}/`;

/** kernel ← platform ← modules ← main.ts; a module reaches another only through its contract. */
export default {
  forbidden: [
    {
      name: 'kernel-imports-nothing',
      comment: 'The kernel is vocabulary: it may use libraries, but nothing of ours.',
      severity: 'error',
      from: { path: layer('kernel') },
      to: { path: '^apps/', pathNot: layer('kernel') },
    },
    {
      name: 'platform-knows-no-module',
      severity: 'error',
      from: { path: layer('platform'), pathNot: '\\.(test|fixture)\\.ts$' },
      to: { path: '^apps/', pathNot: [layer('kernel'), layer('platform')] },
    },
    {
      name: 'modules-stand-on-the-platform',
      severity: 'error',
      from: { path: layer('modules'), pathNot: '\\.(test|fixture)\\.ts$' },
      to: { path: '^apps/', pathNot: [layer('kernel'), layer('platform'), layer('modules')] },
    },
    {
      name: 'modules-meet-by-contract',
      severity: 'error',
      from: { path: '^apps/server/src/modules/([^/]+)/', pathNot: '\\.(test|fixture)\\.ts$' },
      to: { path: layer('modules'), pathNot: ['^apps/server/src/modules/$1/', '/contract\\.ts$'] },
    },
    {
      name: 'domain-is-pure',
      comment: 'Domain files import the vocabulary, permissions by name, and each other.',
      severity: 'error',
      from: { path: '/domain/[^/]+\\.ts$', pathNot: '\\.(test|fixture)\\.ts$' },
      to: {
        path: '.',
        pathNot: [layer('kernel'), '/domain/', '^apps/server/src/platform/auth/permissions\\.ts$'],
      },
    },
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-orphans',
      severity: 'error',
      from: { orphan: true, pathNot: ['\\.d\\.ts$', '\\.(test|fixture)\\.ts$', '\\.c?js$', 'request\\.ts$'] },
      to: {},
    },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    parser: 'swc',
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.json'],
    },
  },
};
