import secureJson from 'secure-json-parse';
import { commonProblems, invalid } from './common.problems.ts';
import { Problem } from './problem.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });
const DEPTH_MAX = 32;
const NUL = '\u0000';

/** Reads a JSON body strictly: valid UTF-8, valid JSON, no NUL, no prototype tricks, no bottomless nesting. */
export function parseJsonBody(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined;
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw invalid('', 'is not valid UTF-8');
  }
  let value: unknown;
  try {
    value = secureJson.parse(text, { protoAction: 'error', constructorAction: 'error' });
  } catch (error) {
    throw invalid('', `is not valid JSON${placeOf(error as Error)}`);
  }
  inspect(value, text.includes('\\u'));
  return value;
}

/** Of the parser's message only the place is told on: it quotes the text, in which a secret may stand. */
function placeOf({ message }: Error): string {
  if (message.includes('forbidden prototype'))
    return ': it names a forbidden property (__proto__ or constructor)';
  const position = /at position (\d+)/.exec(message)?.[1];
  return position === undefined ? '' : ` at position ${position}`;
}

/** An object or an array that has still to be looked into, and where it was found. */
interface Holder {
  readonly value: object;
  readonly depth: number;
  readonly key: string;
  readonly parent: Holder | undefined;
}

/**
 * Walks without recursion, since the nesting is what it guards against. It sees every value of every body, so a
 * pointer is put together only for a fault.
 */
function inspect(root: unknown, hasEscapes: boolean): void {
  const pending: Holder[] = [];
  const look = (value: unknown, key: string, parent: Holder | undefined): void => {
    if (hasEscapes && typeof value === 'string') requireText(value, () => pointerOf(key, parent));
    if (typeof value !== 'object' || value === null) return;
    const depth = parent === undefined ? 1 : parent.depth + 1;
    if (depth > DEPTH_MAX) throw invalid('', `is nested deeper than ${DEPTH_MAX} levels`);
    pending.push({ value, depth, key, parent });
  };
  look(root, '', undefined);
  for (let holder = pending.pop(); holder !== undefined; holder = pending.pop()) {
    const { value, key: own, parent } = holder;
    if (Array.isArray(value)) {
      for (let i = 0; i < value.length; i++) look(value[i], String(i), holder);
      continue;
    }
    for (const [key, inner] of Object.entries(value)) {
      if (hasEscapes) requireText(key, () => pointerOf(own, parent));
      look(inner, key, holder);
    }
  }
}

function pointerOf(key: string, parent: Holder | undefined): string {
  if (parent === undefined) return '';
  return `${pointerOf(parent.key, parent.parent)}/${escapePointer(key)}`;
}

/** Neither can be stored: PostgreSQL has no NUL, and half a surrogate pair is no character. Only an escape can bring them. */
function requireText(text: string, pointer: () => string): void {
  if (text.includes(NUL)) throw invalid(pointer(), 'must not contain the NUL character');
  if (!text.isWellFormed()) throw invalid(pointer(), 'must not contain half of a surrogate pair');
}

export const escapePointer = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

const CHARSET = /;\s*charset\s*=\s*"?([^";\s]+)/i;

export function refuseOtherCharsets(contentType: string | undefined): void {
  const charset = CHARSET.exec(contentType ?? '')?.[1]?.toLowerCase();
  if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8') {
    throw new Problem(commonProblems['unsupported-media-type'], {
      detail: `JSON is read in UTF-8 only, not in ${charset}.`,
    });
  }
}

/** The path and the query must be valid percent-encoded UTF-8 without NUL. */
export function checkUrl(url: string): void {
  if (!url.includes('%')) return;
  let decoded: string;
  try {
    decoded = decodeURIComponent(url.replaceAll('+', ' '));
  } catch {
    throw invalid('', 'is not a valid address: its percent-encoding is broken');
  }
  if (decoded.includes(NUL)) throw invalid('', 'must not contain the NUL character in its address');
}
