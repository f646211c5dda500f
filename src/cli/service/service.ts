/** What the service file says. */
export type ServiceOrder = {
  readonly name: string;
  readonly nodePath: string;
  readonly daemonEntry: string;
  readonly home: string;
  readonly path: string;
};

/** A program that starts the daemon at login and after a failure, and how it is told to. */
export type Service = {
  readonly manager: 'systemd' | 'launchd';
  readonly name: string;
  /** The file that the manager reads. */
  readonly file: string;
  readonly text: string;
  /** Succeeds when the manager can be reached from here. */
  readonly probe: readonly string[];
  /** Makes the manager take the file in and start the daemon. */
  readonly enable: readonly (readonly string[])[];
  readonly disable: readonly (readonly string[])[];
  /** After the file is gone. */
  readonly forget: readonly (readonly string[])[];
  readonly start: readonly string[];
};

/** Stands in every file that orange writes for a manager; what lacks it is somebody else's. */
export const SERVICE_MARK = 'Written by: orange daemon install';
