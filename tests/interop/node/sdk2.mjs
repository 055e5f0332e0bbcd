// The official TypeScript SDK, 2.x: the client package.
//
// The handshake: the first of `supportedProtocolVersions` is asked for. 2026-07-28: `auto` probes with
// `server/discover` in a process of its own and falls back to the handshake, `in-place` probes in the session's own
// process (what the SDK does for any other transport class), `pin` takes nothing else.
//
// It has no calls for tasks. Those of 2025-11-25 are asked for as plain requests. A result of 2026-07-28 that is a task
// it refuses, and passes on to nobody, as what is told of one: they are read from the transport, and the rest are plain
// requests again.

import { Client, ProtocolError } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

import { main, pages, sleep, Updates } from './driver.mjs';

class InPlace extends StdioClientTransport {}

const anything = { '~standard': { version: 1, vendor: 'interop', validate: value => ({ value }) } };

const TASKS = 'io.modelcontextprotocol/tasks';

function answer(client, answers, isModern) {
    const refusal = (code, message) => new ProtocolError(code, message);
    const capabilities = { elicitation: {}, sampling: {}, roots: { listChanged: true } };
    if (isModern) capabilities.extensions = { [TASKS]: {} };
    client.registerCapabilities(capabilities);
    client.setRequestHandler('elicitation/create', request => answers.elicitation(request));
    client.setRequestHandler('sampling/createMessage', request => answers.sampling(request, refusal));
    client.setRequestHandler('roots/list', request => answers.roots(request));
}

async function connect(revision, mode, answers, command) {
    const versionNegotiation = {
        handshake: { mode: 'legacy' },
        auto: { mode: 'auto' },
        'in-place': { mode: 'auto' },
        pin: { mode: { pin: revision } }
    }[mode];
    const options = { versionNegotiation };
    if (mode === 'handshake') options.supportedProtocolVersions = [revision];
    const client = new Client({ name: 'interop-sdk2', version: '1' }, options);
    if (answers) answer(client, answers, mode !== 'handshake');
    const Transport = mode === 'in-place' ? InPlace : StdioClientTransport;
    const transport = new Transport({ command: command[0], args: command.slice(1) });
    const seen = new Updates();
    let subscription;
    client.onerror = error => console.error(`the client could not read a message: ${error}`);
    client.setNotificationHandler('notifications/resources/updated', ({ params }) => seen.add(params.uri));
    const statuses = [];
    const note = ({ params }) => statuses.push([params.taskId, params.status]);
    client.setNotificationHandler('notifications/tasks/status', note);
    await client.connect(transport);
    const { onmessage } = transport;
    let lastTask;
    let watching;
    transport.onmessage = (message, extra) => {
        if (message.result?.resultType === 'task') lastTask = message.result;
        if (message.method === 'notifications/tasks') note(message);
        onmessage(message, extra);
    };
    const tasksRequest = method => ({ id, ...params }) =>
        client.request({ method, params: { taskId: id, ...params } }, anything);
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
        startTask: async ({ ttl, ...params }) => {
            if (mode === 'handshake') {
                const call = { method: 'tools/call', params: { ...params, task: { ttl } } };
                return (await client.request(call, anything)).task;
            }
            const refused = await client.callTool(params).then(() => undefined, error => error.code);
            if (refused !== 'UNSUPPORTED_RESULT_TYPE') throw new Error(`not a result that is a task: ${refused}`);
            return lastTask;
        },
        getTask: tasksRequest('tasks/get'),
        taskResult: tasksRequest('tasks/result'),
        cancelTask: tasksRequest('tasks/cancel'),
        updateTask: tasksRequest('tasks/update'),
        tasks: () => pages(params => client.request({ method: 'tasks/list', params }, anything), 'tasks'),
        watchTasks: async ({ ids }) => {
            watching = new AbortController();
            const listen = { method: 'subscriptions/listen', params: { notifications: { taskIds: ids } } };
            client.request(listen, anything, { signal: watching.signal }).catch(() => {});
            return 'listening';
        },
        unwatchTasks: async () => {
            watching.abort('enough');
            return 'done';
        },
        statuses: async () => statuses,
        request: request => client.request(request, anything),
        close: () => client.close()
    };
}

const asProtocolError = error =>
    error instanceof ProtocolError && { code: error.code, message: error.message, data: error.data };

await main(connect, asProtocolError);
