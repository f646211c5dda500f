/**
 * How hard to look: `quick` goes by file stamps, the process table and one question to the terminal
 * server, so that it can be done now and then; `whole` also asks git and reads every history.
 */
export type Depth = 'quick' | 'whole';
