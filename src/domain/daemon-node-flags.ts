/**
 * How Node is started for a daemon, by whoever starts it. What lives for days has a small young
 * generation, and one helper of V8's instead of four: each helper keeps memory of its own for good.
 */
export const DAEMON_NODE_FLAGS: readonly string[] = ['--max-semi-space-size=4', '--v8-pool-size=1'];
