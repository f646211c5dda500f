/** orange's version; written in by the build, and by vitest.config.ts for the tests. */
declare const __ORANGE_VERSION__: string;
