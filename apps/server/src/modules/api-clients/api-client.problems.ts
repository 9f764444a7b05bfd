import { defineProblems } from '#platform/http/problem.ts';

export const apiClientProblems = defineProblems({
  'unknown-role': {
    status: 422,
    title: 'Unknown Role',
    meaning: 'A role in the request does not exist in this workspace.',
    remedy: 'Give the ids of roles of this workspace, or none for every permission.',
  },
  'beyond-own-permissions': {
    status: 403,
    title: 'Beyond Your Own Permissions',
    meaning: 'Nobody can give away a permission that they do not hold, be it through a role or a new secret.',
    remedy: 'Ask somebody who holds the permissions named in `detail`, or choose roles with fewer of them.',
  },
});
