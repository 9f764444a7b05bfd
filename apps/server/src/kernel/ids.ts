import { uuidv7 } from 'uuidv7';

/** A new id. Version 7 keeps rows of one tenant in the order of their making, which keeps indexes compact. */
export const newId = (): string => uuidv7();

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const isUuid = (text: string): boolean => UUID.test(text);
