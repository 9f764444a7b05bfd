/** Reads CSV as RFC 4180 has it. An empty cell without quotes is null, one with them is empty text. */
export function parseCsv(text: string): (string | null)[][] {
  const rows: (string | null)[][] = [];
  let row: (string | null)[] = [];
  const cell = /("(?:[^"]|"")*"|[^",\n]*)(,|\n)/gy;
  for (let match = cell.exec(text); match !== null; match = cell.exec(text)) {
    const [whole, value = '', end] = match;
    if (value.startsWith('"')) row.push(value.slice(1, -1).replaceAll('""', '"'));
    else row.push(value === '' ? null : value);
    if (end === '\n') {
      rows.push(row);
      row = [];
    }
    if (cell.lastIndex === text.length) return rows;
    if (whole === '') break;
  }
  throw new Error(`no CSV from ${rows.length + 1} on`);
}
