export interface Credentials {
  readonly clientId: string;
  readonly clientSecret: string;
}

export async function fetchToken(url: string, client: Credentials): Promise<string> {
  const reply = await fetch(`${url}/connect/token`, { method: 'POST', body: tokenForm(client) });
  if (!reply.ok) throw new Error(`no token: ${reply.status} ${await reply.text()}`);
  return ((await reply.json()) as { access_token: string }).access_token;
}

export const tokenForm = ({ clientId, clientSecret }: Credentials): URLSearchParams =>
  new URLSearchParams({
    grant_type: 'client_credentials',
    scope: 'api',
    client_id: clientId,
    client_secret: clientSecret,
  });
