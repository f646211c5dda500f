import type { TerminalEvents, TerminalListener } from '../ports.js';
import type { TmuxConnection } from './tmux-server.js';

/** Turns what the terminal server says about windows into hints about tasks. */
export function createTmuxEvents(
  tmux: Pick<TmuxConnection, 'control' | 'windows' | 'socket' | 'keepSocket'>,
): TerminalEvents {
  const owners = new Map<string, string | null>();
  let isListing = false;
  let isStale = false;

  const learnOwners = async (): Promise<void> => {
    isStale = true;
    if (isListing) return;
    isListing = true;
    while (isStale) {
      isStale = false;
      const windows = await tmux.windows();
      if (!windows.ok) break;
      owners.clear();
      for (const { windowId, taskId } of windows.value) owners.set(windowId, taskId);
    }
    isListing = false;
  };

  const forget = (windowId: string, listener: TerminalListener): void => {
    const owner = owners.get(windowId);
    owners.delete(windowId);
    // A window that belongs to no task concerns nobody.
    if (owner !== undefined && owner === null) return;
    listener.onWindowClosed(owner ?? null);
  };

  return {
    socket: tmux.socket,
    keepSocket: () => tmux.keepSocket(),
    state: () => tmux.control.state(),
    follow: (listener) =>
      tmux.control.open({
        onNotice: (notice) => {
          if (notice.kind === 'window-added') void learnOwners();
          if (notice.kind === 'window-closed') forget(notice.windowId, listener);
          if (notice.kind === 'renamed') listener.onRenamed();
        },
        onState: (state) => {
          if (state.state === 'connected') void learnOwners();
          listener.onState(state);
        },
      }),
  };
}
