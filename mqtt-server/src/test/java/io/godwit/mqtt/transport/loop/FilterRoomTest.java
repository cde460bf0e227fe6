package io.godwit.mqtt.transport.loop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FilterRoomTest {
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private final FilterRoom room = new FilterRoom(tasks::add);
    private final List<String> went = new ArrayList<>();

    private void runTasks() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    private void await(String name, int filters) {
        room.await(() -> {
            went.add(name);
            room.enter(filters);
        });
    }

    @Test
    void isFullWhenItsFiltersAreIn() {
        room.enter(FilterRoom.MAX_FILTERS - 1);
        assertThat(room.isFull()).isFalse();
        room.enter(10_000); // the packet that uses up the budget may exceed it
        assertThat(room.isFull()).isTrue();
        room.leave(10_000);
        assertThat(room.isFull()).isFalse();
    }

    @Test
    void whoWaitsGoesInOrderAndAsFarAsThereIsRoom() {
        room.enter(FilterRoom.MAX_FILTERS);
        await("a", FilterRoom.MAX_FILTERS - 1);
        await("b", 1);
        await("c", 1);
        room.leave(FilterRoom.MAX_FILTERS);
        assertThat(went).as("no waiting task runs within the call of leave").isEmpty();
        assertThat(room.isFull()).as("new tasks find no room while others wait").isTrue();
        runTasks();
        assertThat(went).containsExactly("a", "b");
        room.leave(1);
        runTasks();
        assertThat(went).containsExactly("a", "b", "c");
    }

    /** A connection that has gone enters with nothing. */
    @Test
    void oneThatEntersWithNothingLetsTheNextGo() {
        room.enter(FilterRoom.MAX_FILTERS);
        await("gone", 0);
        await("next", 1);
        room.leave(1);
        runTasks();
        assertThat(went).containsExactly("gone", "next");
        assertThat(room.filters()).isEqualTo(FilterRoom.MAX_FILTERS);
    }
}
