// Lets the checks drive a client: commands come as lines of JSON, each is answered with one.
//
//     sdkN.mjs REVISION MODE DECLARES COMMAND ARG...
//
// DECLARES is `all` that the SDK can answer, or `nothing`.
//
// An answer is {"ok": VALUE}, {"error": {code, message, data}} for a protocol error that the SDK reported, or
// {"failure": TEXT} for anything else that it threw.

import { createInterface } from 'node:readline';

export const sleep = ms => new Promise(resolve => setTimeout(resolve, ms));

const write = answer => process.stdout.write(JSON.stringify(answer) + '\n');

/** What `work` gives, as an answer. */
export async function answered(work, asProtocolError) {
    try {
        return { ok: await work };
    } catch (error) {
        const protocolError = asProtocolError(error);
        return protocolError ? { error: protocolError } : { failure: String(error) };
    }
}

/** The URIs of the resources that the server told to have changed. */
export class Updates {
    uris = [];
    wake = () => {};

    add(uri) {
        this.uris.push(uri);
        this.wake();
    }

    async wait(count, ms) {
        const end = Date.now() + ms;
        while (this.uris.length < count && Date.now() < end) {
            let timer;
            await new Promise(resolve => {
                this.wake = resolve;
                timer = setTimeout(resolve, end - Date.now());
            });
            clearTimeout(timer);
        }
        return this.uris;
    }
}

const ROOTS = [{ uri: 'file:///srv/one', name: 'one' }, { uri: 'file:///srv/two' }];

/** The user, the model and the directories of the client: what the server asks of them, and what they answer. */
export class Answers {
    asked = [];
    say = { action: 'accept', content: { yes: true } };

    /** From now on. */
    set(say) {
        this.say = say;
    }

    take() {
        return this.asked.splice(0);
    }

    async elicitation({ params }) {
        this.asked.push(['elicitation/create', params]);
        const { after_ms, ...answer } = this.say;
        await sleep(after_ms ?? 0);
        return answer;
    }

    sampling({ params }, refusal) {
        this.asked.push(['sampling/createMessage', params]);
        if (this.say.refusal) throw refusal(this.say.refusal.code, this.say.refusal.message);
        const [{ content }] = params.messages;
        const { text } = Array.isArray(content) ? content[0] : content;
        const answer = { type: 'text', text: `In short: ${text}` };
        return { role: 'assistant', content: answer, model: 'interop', stopReason: 'endTurn' };
    }

    roots({ params }) {
        this.asked.push(['roots/list', params ?? {}]);
        return { roots: ROOTS };
    }
}

/** All pages of a list. */
export async function pages(page, member) {
    const items = [];
    let cursor;
    do {
        const result = await page(cursor === undefined ? {} : { cursor });
        items.push(...result[member]);
        cursor = result.nextCursor;
    } while (cursor !== undefined);
    return items;
}

/** Runs `connect` and then the commands; `asProtocolError` tells the SDK's own kind of error. */
export async function main(connect, asProtocolError) {
    const [revision, mode, declares, ...command] = process.argv.slice(2);
    const answers = new Answers();
    const client = await connect(revision, mode, declares === 'all' ? answers : undefined, command);
    client.calls = ({ calls }) =>
        Promise.all(calls.map(([name, args]) => answered(client.call({ name, arguments: args }), asProtocolError)));
    client.during = async ({ commands, ...call }) => {
        let hasEnded = false;
        const ended = answered(client.call(call), asProtocolError).finally(() => (hasEnded = true));
        const answers = [];
        for (const { op, ...rest } of commands) answers.push(await answered(client[op](rest), asProtocolError));
        return { answers, hasEnded, call: await ended };
    };
    client.say = async say => {
        answers.set(say);
        return 'said';
    };
    client.asked = async () => answers.take();
    client.updates = ({ count, ms }) => client.seen.wait(count, ms);
    write({ ok: await client.about() });
    for await (const line of createInterface({ input: process.stdin })) {
        const { op, ...rest } = JSON.parse(line);
        if (op === 'close') break;
        write(await answered(client[op](rest), asProtocolError));
    }
    await client.close();
    write({ ok: 'closed' });
    process.exit(0);
}
