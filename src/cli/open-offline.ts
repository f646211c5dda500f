import type { HomeDoctor } from './home-doctor.js';

/** A home without its daemon; only who really needs it loads it. */
export async function openOffline(place: {
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly pid: number;
  readonly version: string;
}): Promise<HomeDoctor> {
  const { openOfflineHome } = await import('../daemon/mend/offline-home.js');
  return openOfflineHome(place);
}
