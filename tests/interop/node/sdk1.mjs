// The official TypeScript SDK, 1.x.
//
// Its client always asks for the newest revision it knows and takes any of the four that the server answers. No option
// says which, so the transport puts the wanted one into `initialize`.

import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import {
    CallToolResultSchema,
    CreateMessageRequestSchema,
    CreateTaskResultSchema,
    ElicitRequestSchema,
    ListRootsRequestSchema,
    McpError,
    ResourceUpdatedNotificationSchema,
    ResultSchema,
    TaskStatusNotificationSchema
} from '@modelcontextprotocol/sdk/types.js';

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

function answer(client, answers) {
    const refusal = (code, message) => new McpError(code, message);
    client.registerCapabilities({ elicitation: {}, sampling: {}, roots: { listChanged: true } });
    client.setRequestHandler(ElicitRequestSchema, request => answers.elicitation(request));
    client.setRequestHandler(CreateMessageRequestSchema, request => answers.sampling(request, refusal));
    client.setRequestHandler(ListRootsRequestSchema, request => answers.roots(request));
}

async function connect(revision, mode, answers, command) {
    if (mode !== 'handshake') throw new Error(`no mode ${mode}`);
    const client = new Client({ name: 'interop-sdk1', version: '1' });
    if (answers) answer(client, answers);
    const transport = new Transport(revision, command);
    const seen = new Updates();
    client.onerror = error => console.error(`the client could not read a message: ${error}`);
    client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => seen.add(params.uri));
    const statuses = [];
    const note = ({ params }) => statuses.push([params.taskId, params.status]);
    client.setNotificationHandler(TaskStatusNotificationSchema, note);
    await client.connect(transport);
    const tasks = client.experimental.tasks;
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
        // `callToolStream` would do all of it at once; these are its steps.
        startTask: async ({ ttl, ...params }) =>
            (await client.request({ method: 'tools/call', params }, CreateTaskResultSchema, { task: { ttl } })).task,
        getTask: ({ id }) => tasks.getTask(id),
        taskResult: ({ id }) => tasks.getTaskResult(id, CallToolResultSchema),
        cancelTask: ({ id }) => tasks.cancelTask(id),
        tasks: () => pages(({ cursor }) => tasks.listTasks(cursor), 'tasks'),
        streamTask: async ({ ttl, ...params }) => {
            const seen = [];
            for await (const message of tasks.callToolStream(params, CallToolResultSchema, { task: { ttl } })) {
                seen.push([message.type, message.task?.status ?? message.result ?? message.error]);
            }
            return seen;
        },
        statuses: async () => statuses,
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
