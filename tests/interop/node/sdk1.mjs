// The official TypeScript SDK, 1.x.
//
// Its client always asks for the newest revision it knows and takes any of the four that the server answers. No option
// says which, so the transport puts the wanted one into `initialize`.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { McpError, ResourceUpdatedNotificationSchema, ResultSchema } from '@modelcontextprotocol/sdk/types.js';

import { main, pages, sleep, Updates } from './driver.mjs';

class Transport extends StdioClientTransport {
    constructor(revision, command) {
        super({ command: command[0], args: command.slice(1) });
        this.revision = revision;
    }

    send(message, options) {
        if (message.method === 'initialize') message.params.protocolVersion = this.revision;
        return super.send(message, options);
    }

    // Called with what the server answered, and read back by `about`.
    setProtocolVersion(version) {
        this.negotiated = version;
    }
}

async function connect(revision, mode, command) {
    if (mode !== 'handshake') throw new Error(`no mode ${mode}`);
    const client = new Client({ name: 'interop-sdk1', version: '1' });
    const transport = new Transport(revision, command);
    const seen = new Updates();
    client.onerror = error => console.error(`the client could not read a message: ${error}`);
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => seen.add(params.uri));
    await client.connect(transport);
    return {
        seen,
        about: async () => ({
            version: transport.negotiated,
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
            return { result: await client.callTool(params, undefined, { onprogress }), progress };
        },
        cancel: async ({ after_ms, ...params }) => {
            const abort = new AbortController();
            const call = client.callTool(params, undefined, { signal: abort.signal });
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
        request: request => client.request(request, ResultSchema),
        close: () => client.close()
    };
}

// The SDK puts its own words before the server's message.
const asProtocolError = error =>
    error instanceof McpError && {
        code: error.code,
        message: error.message.replace(/^MCP error -?\d+: /, ''),
        data: error.data
    };

await main(connect, asProtocolError);
