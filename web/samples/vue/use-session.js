import { emptyView, watchSession } from 'steploop/client';
import { onScopeDispose, shallowRef, watch } from 'vue';

/**
 * A live session while the component is mounted.
 *
 * @param {import('steploop/client').Client} client
 * @param {import('vue').Ref<string | undefined>} sessionId
 */
export function useSession(client, sessionId) {
  // Shallow: each view is a new object, and nothing in it changes.
  const view = shallowRef(emptyView);
  const session = shallowRef();
  const error = shallowRef();
  let watching;
  const look = async (id) => {
    try {
      session.value = await client.session(id);
    } catch (failure) {
      error.value = failure;
    }
  };
  const leave = () => watching?.close();
  watch(
    sessionId,
    (id) => {
      leave();
      [view.value, session.value, error.value] = [emptyView, undefined, undefined];
      if (id === undefined) return;
      watching = watchSession(client, id, {
        onView: (next) => {
          view.value = next;
        },
        onEvent: ({ type }) => {
          if (type.startsWith('RUN_')) void look(id);
        },
        onRefused: (refused) => {
          error.value = refused;
        },
      });
      void look(id);
    },
    { immediate: true },
  );
  onScopeDispose(leave);
  return { view, session, error };
}
