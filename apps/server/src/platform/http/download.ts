import type { Readable } from 'node:stream';

/** An answer that is a file: streamed as it comes, under a name that a browser saves it by. */
export class Download {
  readonly content: Readable;
  readonly fileName: string;

  constructor(content: Readable, fileName: string) {
    this.content = content;
    this.fileName = fileName;
  }
}
