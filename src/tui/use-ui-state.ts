import { useSyncExternalStore } from 'react';
import type { Store } from './store.js';
import type { UiEvent, UiState } from './ui-state.js';

/** The ui-state; it lives outside the tree so that it survives an attach. */
export function useUiState(ui: Store<UiState, UiEvent>): UiState {
  return useSyncExternalStore(ui.subscribe, ui.get);
}
