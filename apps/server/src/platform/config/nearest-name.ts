/** Levenshtein's distance, one row at a time. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replace = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replace, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** The known name that a person most likely meant, or undefined where a guess would only mislead. */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  const wanted = name.toUpperCase();
  let nearest: string | undefined;
  // A quarter of the name after its prefix may be wrong, and two letters always.
  let least = Math.max(2, Math.floor((name.length - 'TENANTRY_'.length) / 4)) + 1;
  for (const candidate of known) {
    const away = distance(wanted, candidate);
    if (away < least) {
      least = away;
      nearest = candidate;
    }
  }
  return nearest;
}
