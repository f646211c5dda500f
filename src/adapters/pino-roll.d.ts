declare module 'pino-roll' {
  /** The part of the stream that orange uses; it is a SonicBoom. */
  export interface RollingStream {
    readonly file: string | null;
    readonly destroyed: boolean;
    write(line: string): boolean;
    /** Writes what is waiting, then closes. */
    end(): void;
    destroy(): void;
    on(event: 'error', listener: (error: unknown) => void): this;
    on(event: 'write', listener: (bytes: number) => void): this;
    on(event: 'ready' | 'drop', listener: () => void): this;
    once(event: 'close', listener: () => void): this;
  }

  /** Opens `<name>.<n>.<extension>` and goes on in the next file when it has reached `size`. */
  const openRollingFile: (options: {
    readonly file: string;
    readonly size: string;
    readonly limit: { readonly count: number; readonly removeOtherLogFiles: boolean };
    readonly mode: number;
    readonly sync: boolean;
    readonly maxLength: number;
  }) => Promise<RollingStream>;
  export default openRollingFile;
}
