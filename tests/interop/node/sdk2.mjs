// The official TypeScript SDK, 2.x: the client package.
//
// The handshake: the first of `supportedProtocolVersions` is asked for. 2026-07-28: `auto` probes with
// `server/discover` in a process of its own and falls back to the handshake, `in-place` probes in the session's own
// process (what the SDK does for any other transport class), `pin` takes nothing else.

import { Client, ProtocolError } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

import { main, pages, sleep, Updates } from './driver.mjs';

class InPlace extends StdioClientTransport {}

const anything = { '~standard': { version: 1, vendor: 'interop', validate: value => ({ value }) } };

async function connect(revision, mode, command) {
    const versionNegotiation = {
        handshake: { mode: 'legacy' },
        auto: { mode: 'auto' },
        'in-place': { mode: 'auto' },
        pin: { mode: { pin: revision } }
    }[mode];
    const options = { versionNegotiation };
    if (mode === 'handshake') options.supportedProtocolVersions = [revision];
    const client = new Client({ name: 'interop-sdk2', version: '1' }, options);
    const Transport = mode === 'in-place' ? InPlace : StdioClientTransport;
    const transport = new Transport({ command: command[0], args: command.slice(1) });
    const seen = new Updates();
    let subscription;
    client.onerror = error => console.error(`the client could not read a message: ${error}`);
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => seen.add(params.uri));
    await client.connect(transport);
    return {
        seen,
        about: async () => ({
            version: client.getNegotiatedProtocolVersion(),
            server: client.getServerVersion(),
            instructions: client.getInstructions(),
            capabilities: client.getServerCapabilities()
        }),
        tools: () => pages(params => client.listTools(params), 'tools'),
        resources: () => pages(params => client.listResources(params), 'resources'),
        templates: () => pages(params => client.listResourceTemplates(params), 'resourceTemplates'),
        prompts: () => pages(params => client.listPrompts(params), 'prompts'),
        call: params => client.callTool(params),
        progress: async params => {
            const progress = [];
            const onprogress = ({ progress: done, total }) => progress.push([done, total]);
            return { result: await client.callTool(params, { onprogress }), progress };
        },
        cancel: async ({ after_ms, ...params }) => {
            const abort = new AbortController();
            const call = client.callTool(params, { signal: abort.signal });
            const ended = call.then(() => 'answered', error => error.constructor.name);
            await sleep(after_ms);
            abort.abort('not needed any more');
            return ended;
        },
        read: params => client.readResource(params),
        prompt: params => client.getPrompt(params),
        complete: ({ prompt, argument, value }) =>
            client.complete({ ref: { type: 'ref/prompt', name: prompt }, argument: { name: argument, value } }),
        ping: () => client.ping(),
        level: ({ level }) => client.setLoggingLevel(level),
        subscribe: params => client.subscribeResource(params),
        unsubscribe: params => client.unsubscribeResource(params),
        listen: async ({ uris }) => {
            subscription = await client.listen({ resourceSubscriptions: uris });
            return subscription.honoredFilter;
        },
        unlisten: async () => {
            await subscription.close();
            return subscription.closed;
        },
        discover: () => client.discover(),
        request: request => client.request(request, anything),
        close: () => client.close()
    };
}

const asProtocolError = error =>
    error instanceof ProtocolError && { code: error.code, message: error.message, data: error.data };

await main(connect, asProtocolError);
