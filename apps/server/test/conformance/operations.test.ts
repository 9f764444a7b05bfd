import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { systemClock } from '#kernel/clock.ts';
import { readSettings } from '#platform/config/settings.ts';
import { accessLabel } from '#platform/http/route.ts';
import { openLog } from '#platform/observability/log.ts';
import { createPlatform } from '#platform/platform.ts';
import { describeApi } from '../../src/server.ts';
import { listedOperations, notBuiltYet, type Operation } from './operations.ts';

const settings = readSettings({ TENANTRY_BASE_URL: 'http://tenantry.test', TENANTRY_LOG_LEVEL: 'fatal' });
const platform = createPlatform({
  settings,
  databaseUrl: 'postgres://nobody@127.0.0.1:1/nothing', // described, never connected to
  instanceKey: new Uint8Array(32),
  clock: systemClock,
  log: openLog(settings),
});
const { routes } = describeApi(platform);
const listed = listedOperations();
const missing = notBuiltYet();

const address = ({ method, path }: Pick<Operation, 'method' | 'path'>): string => `${method} ${path}`;
const built = routes.map(address);
const promised = listed.map(address);
const twice = (all: readonly string[]): string[] => all.filter((each, index) => all.indexOf(each) !== index);

/** How many were still missing when this was last looked at. Lower it when you build some; it never goes up. */
const MISSING_MAX = 303;

describe('The route table', () => {
  it('has no operation that is not listed, with the names of path parameters as they are listed', () => {
    assert.deepEqual(
      built.filter((each) => !promised.includes(each)),
      [],
    );
  });

  it('has every listed operation, but for those that are not built yet', () => {
    assert.deepEqual(
      promised.filter((each) => !built.includes(each) && !missing.includes(each)),
      [],
    );
  });

  it('lets those in whom the list names', () => {
    const wrong = routes
      .map((route) => [address(route), accessLabel(route)] as const)
      .filter(([route, access]) => listed.find((each) => address(each) === route)?.access !== access);
    assert.deepEqual(wrong, []);
  });

  it('has every operation once', () => {
    assert.deepEqual(twice(built), []);
    assert.deepEqual(twice(routes.map(({ operationId }) => operationId)), []);
  });

  it('names in `params` just what stands in the path', () => {
    for (const route of routes) {
      const { properties = {} } = (route.params ?? {}) as { properties?: object };
      const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      assert.deepEqual(Object.keys(properties).sort(), inPath.sort(), address(route));
    }
  });
});

describe('The list of what is not built yet', () => {
  it('holds nothing that is built, unknown or listed twice', () => {
    assert.deepEqual(
      missing.filter((each) => built.includes(each)),
      [],
    );
    assert.deepEqual(
      missing.filter((each) => !promised.includes(each)),
      [],
    );
    assert.deepEqual([...twice(missing), ...twice(promised)], []);
  });

  it('only shrinks', () => {
    assert.ok(missing.length <= MISSING_MAX, `${missing.length} are missing; there were ${MISSING_MAX}`);
  });
});
