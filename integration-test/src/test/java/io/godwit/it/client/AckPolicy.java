package io.godwit.it.client;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** When a client acknowledges what it has received. */
public interface AckPolicy {
    AckPolicy AT_ONCE = Runnable::run;

    /** @param acknowledge sends the acknowledgement, if the connection still stands; to be run once, on any thread */
    void received(Runnable acknowledge);

    /** Each after a time of its own: acknowledgements come late and out of order. */
    static AckPolicy late(ScheduledExecutorService timer, Random random, int maxMillis) {
        return acknowledge -> timer.schedule(acknowledge, random.nextInt(maxMillis), TimeUnit.MILLISECONDS);
    }

    /** In shuffled groups; a group is closed when it is full or {@code maxMillis} after it was begun. */
    static AckPolicy shuffled(ScheduledExecutorService timer, Random random, int groupSize, int maxMillis) {
        return new AckPolicy() {
            private List<Runnable> group = new ArrayList<>();

            @Override
            public void received(Runnable acknowledge) {
                List<Runnable> joined;
                boolean full;
                synchronized (this) {
                    joined = group;
                    joined.add(acknowledge);
                    full = joined.size() == groupSize;
                    if (joined.size() == 1) {
                        timer.schedule(() -> close(joined), maxMillis, TimeUnit.MILLISECONDS);
                    }
                }
                if (full) {
                    close(joined);
                }
            }

            /** Runs them outside this lock, since they take the client's, under which {@link #received} is called. */
            private void close(List<Runnable> full) {
                synchronized (this) {
                    if (group != full) {
                        return;
                    }
                    group = new ArrayList<>();
                }
                Collections.shuffle(full, random);
                full.forEach(Runnable::run);
            }
        };
    }
}
