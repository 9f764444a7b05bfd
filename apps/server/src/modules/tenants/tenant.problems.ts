import { defineProblems } from '#platform/http/problem.ts';

export const tenantProblems = defineProblems({
  'subdomain-taken': {
    status: 409,
    title: 'Subdomain Taken',
    meaning: 'Another workspace has this subdomain, or its testing twin would need one that is taken.',
    remedy: 'Choose another subdomain.',
  },
  'testing-twin': {
    status: 409,
    title: 'Testing Twin',
    meaning:
      'A testing workspace has the plan, tier and status of its production workspace and none of its own.',
    remedy: 'Change the production workspace: `productionTenantId` names it.',
  },
  'platform-tenant': {
    status: 409,
    title: 'Platform Workspace',
    meaning: 'The workspace of the operators cannot be suspended, because nobody could undo it.',
    remedy: 'Revoke single API clients or disable single people instead.',
  },
});
