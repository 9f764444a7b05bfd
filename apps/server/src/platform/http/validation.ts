import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { IsOptional, type TSchema } from 'typebox';
import { invalidInput } from './common.problems.ts';
import { addOwnFormats, formatWords } from './formats.ts';
import { escapePointer } from './json-body.ts';
import type { BodyRule, Route } from './route.ts';

const OPTIONS = { allErrors: true, strict: false, useDefaults: true, removeAdditional: false } as const;

/** Bodies mean what they say: "1" is not a number. In an address everything is text, so there types are converted. */
const forBodies = addOwnFormats(new Ajv({ ...OPTIONS, coerceTypes: false }));
/** Stops at the first fault. */
const forLargeBodies = addOwnFormats(new Ajv({ ...OPTIONS, coerceTypes: false, allErrors: false }));
const forAddresses = addOwnFormats(new Ajv({ ...OPTIONS, coerceTypes: 'array' }));

type Part = 'path' | 'query' | 'body';

interface Input {
  readonly params: unknown;
  readonly query: unknown;
  readonly body: unknown;
}

/** A megabyte of wrong items would otherwise be answered with twenty of faults. */
const FAULTS_MAX = 100;

/** Gathering the faults of half a million values takes most of a second, in which nobody else is answered. */
const VALUES_MAX = 10_000;

const EMPTY: TSchema = { type: 'object', additionalProperties: false };

/** Checks all parts of a request and reports every fault of it at once. Body pointers stand alone; others are led by their part. */
export function requestValidator(route: Route): (input: Input) => void {
  const checks: [Part, keyof Input, ValidateFunction][] = [
    ['path', 'params', forAddresses.compile(route.params ?? EMPTY)],
    ['query', 'query', forAddresses.compile(route.query ?? EMPTY)],
  ];
  if (route.body !== undefined) checks.push(['body', 'body', forBodies.compile(route.body)]);
  let checkLarge: ValidateFunction | undefined; // rarely needed, so compiled when it is
  const isBodyOptional = route.body !== undefined && IsOptional(route.body);

  return (input) => {
    const faults: Record<string, string[]> = {};
    let isAllTold = true;
    for (const [part, key, check] of checks) {
      if (part === 'body' && input.body === undefined && isBodyOptional) continue;
      if (part === 'body' && isLarge(input.body)) {
        checkLarge ??= forLargeBodies.compile(route.body as TSchema);
        if (checkLarge(input.body)) continue;
        isAllTold = false;
        for (const error of checkLarge.errors ?? []) report(faults, part, error, input.body);
        continue;
      }
      if (check(input[key])) continue;
      const errors = check.errors ?? [];
      isAllTold &&= errors.length <= FAULTS_MAX;
      for (const error of errors.slice(0, FAULTS_MAX)) report(faults, part, error, input[key]);
    }
    if (route.body === undefined && input.body !== undefined) faults[''] = ['takes no body'];
    // Where not every fault is told, a rule cannot know whether its fields are what their schema says.
    if (isAllTold) for (const rule of route.rules ?? []) applyRule(rule, faults, input.body);
    if (Object.keys(faults).length > 0) throw invalidInput(faults);
  };
}

function applyRule(
  { about, fault }: BodyRule<Record<string, unknown>>,
  faults: Record<string, string[]>,
  body: unknown,
): void {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return; // which the schema has told
  const isDoubtful = about.some((field) => faults[`/${field}`] !== undefined);
  const found = isDoubtful ? undefined : fault(body as Record<string, unknown>);
  if (found !== undefined) faults[`/${about[0]}`] = [found];
}

/** Looks at no more values than it takes to know. */
function isLarge(body: unknown): boolean {
  const pending: unknown[] = [body];
  for (let seen = 0; pending.length > 0; seen++) {
    if (seen + pending.length > VALUES_MAX) return true;
    const value = pending.pop();
    if (typeof value !== 'object' || value === null) continue;
    const inner = Array.isArray(value) ? value : Object.values(value);
    if (seen + inner.length > VALUES_MAX) return true;
    pending.push(...inner);
  }
  return false;
}

function report(faults: Record<string, string[]>, part: Part, error: ErrorObject, input: unknown): void {
  if (error.keyword === 'if' || error.keyword === 'anyOf' || error.keyword === 'oneOf') {
    if (Object.keys(faults).length > 0) return; // the branches have told what is wrong
  }
  const prefix = part === 'body' ? '' : `/${part}`;
  if (error.keyword === 'propertyNames') return; // what is wrong with the name has been told
  const named = error.params.missingProperty ?? error.params.additionalProperty ?? error.propertyName;
  const pointer = `${prefix}${error.instancePath}${named === undefined ? '' : `/${escapePointer(String(named))}`}`;
  const isRepeated =
    part === 'query' && Array.isArray((input as Record<string, unknown>)[error.instancePath.slice(1)]);
  const message =
    part === 'body' && input === undefined
      ? 'is required: send a JSON body'
      : isRepeated
        ? 'must be given once'
        : wordsFor(error);
  faults[pointer] = [...new Set([...(faults[pointer] ?? []), message])];
}

function wordsFor({ keyword, params, message }: ErrorObject): string {
  switch (keyword) {
    case 'required':
      return 'is required';
    case 'additionalProperties':
      return 'is not a known field';
    case 'enum':
      return `must be one of ${params.allowedValues.map((value: unknown) => value ?? 'null').join(', ')}`;
    case 'const':
      return `must be ${JSON.stringify(params.allowedValue)}`;
    case 'type':
      return `must be ${[params.type].flat().join(' or ')}`;
    case 'minLength':
      return params.limit === 1 ? 'must not be empty' : `must have at least ${params.limit} characters`;
    case 'maxLength':
      return `must have at most ${params.limit} characters`;
    case 'minItems':
      return `must have at least ${params.limit} items`;
    case 'maxProperties':
      return `must have at most ${params.limit} entries`;
    case 'uniqueItems':
      return `must not hold the same item twice (${params.j} and ${params.i})`;
    case 'maxItems':
      return `must have at most ${params.limit} items`;
    case 'minimum':
      return `must be at least ${params.limit}`;
    case 'maximum':
      return `must be at most ${params.limit}`;
    case 'format':
      return formatWords(params.format);
    case 'pattern':
      return params.pattern === '\\S' ? 'must not be blank' : `must match ${params.pattern}`;
    default:
      return message ?? 'is not valid';
  }
}
