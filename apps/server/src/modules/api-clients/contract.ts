export { createApiClient } from './operations/create-api-client.ts';
