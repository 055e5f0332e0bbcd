// Lets the checks drive a client: commands come as lines of JSON, each is answered with one.
//
//     sdkN.mjs REVISION MODE COMMAND ARG...
//
// An answer is {"ok": VALUE}, {"error": {code, message, data}} for a protocol error that the SDK reported, or
// {"failure": TEXT} for anything else that it threw.

import { createInterface } from 'node:readline';

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

export const sleep = ms => new Promise(resolve => setTimeout(resolve, ms));

/** Runs `connect` and then the commands; `asProtocolError` tells the SDK's own kind of error. */
export async function main(connect, asProtocolError) {
    const [revision, mode, ...command] = process.argv.slice(2);
    const client = await connect(revision, mode, command);
    client.calls = ({ calls }) =>
        Promise.all(calls.map(([name, args]) => answered(client.call({ name, arguments: args }), asProtocolError)));
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
