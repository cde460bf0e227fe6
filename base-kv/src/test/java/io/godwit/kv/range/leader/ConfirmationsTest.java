package io.godwit.kv.range.leader;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConfirmationsTest {
    private final Deque<Runnable> tasks = new ArrayDeque<>();
    private final Deque<ReadIndex.Done> asked = new ArrayDeque<>();
    private final Deque<Runnable> later = new ArrayDeque<>();
    private final List<String> told = new ArrayList<>();
    private boolean hasEnded;

    private final Confirmations confirmations = new Confirmations(
            new ReadIndex() {
                @Override
                public void request(ReadIndex.Done then) {
                    asked.add(then);
                }

                @Override
                public void later(long delayMillis, Runnable task) {
                    later.add(task);
                }
            },
            task -> tasks.add(() -> {
                if (!hasEnded) {
                    task.run();
                }
            }));

    @Test
    void thoseOfOneTurnAreToldTogetherAndThoseThatComeMeanwhileShareTheNext() {
        add("a");
        add("b");
        assertThat(asked).isEmpty();
        run();
        assertThat(asked).hasSize(1);
        add("c");
        add("d");
        run();
        assertThat(asked)
                .as("the question may have been sent before c was added")
                .hasSize(1);

        answer(true);
        assertThat(told).containsExactly("a", "b");
        answer(true);
        assertThat(told).containsExactly("a", "b", "c", "d");
        assertThat(asked).isEmpty();
        add("e");
        run();
        answer(true);
        assertThat(told).endsWith("e");
    }

    @Test
    void whenNoMajorityAnswersItIsAskedAgain() {
        add("a");
        run();
        add("b");
        answer(false);
        assertThat(told).isEmpty();
        assertThat(asked).as("the next question comes only after a pause").isEmpty();
        later.remove().run();
        answer(true);
        assertThat(told).containsExactly("a", "b");
    }

    /** The answer may come from the next leader. */
    @Test
    void nobodyIsToldOnceTheLeadershipHasEnded() {
        add("a");
        run();
        hasEnded = true;
        answer(true);
        assertThat(told).isEmpty();
    }

    @Test
    void whatIsAskedForByOneThatIsToldHasAQuestionOfItsOwn() {
        confirmations.add(() -> add("later"));
        run();
        answer(true);
        assertThat(told).isEmpty();
        answer(true);
        assertThat(told).containsExactly("later");
    }

    private void add(String name) {
        confirmations.add(() -> told.add(name));
    }

    private void answer(boolean ok) {
        asked.remove().done(ok);
        run();
    }

    private void run() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }
}
