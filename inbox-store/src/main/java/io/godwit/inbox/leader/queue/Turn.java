package io.godwit.inbox.leader.queue;

import io.godwit.kv.coprocessor.LeaderContext;
import java.util.ArrayList;
import java.util.List;

/** Collects work for the end of a task of the range executor, so that the results of many requests go out together. */
public final class Turn {
    private final LeaderContext context;
    /** Proposes the open batches. */
    private final Runnable propose;

    private boolean isEndQueued;
    private final List<Sender> toPump = new ArrayList<>();
    private final List<Sender> toFlush = new ArrayList<>();

    Turn(LeaderContext context, Runnable propose) {
        this.context = context;
        this.propose = propose;
    }

    /** Pumps the sender soon: when a batch is done, or at the end of the task. */
    public void pumpLater(Sender sender) {
        toPump.add(sender);
    }

    public void flushLater(Sender sender) {
        toFlush.add(sender);
        endLater();
    }

    void endLater() {
        if (!isEndQueued) {
            isEndQueued = true;
            context.execute(this::end);
        }
    }

    void end() {
        isEndQueued = false;
        sendAll();
        propose.run();
    }

    void sendAll() {
        for (int i = 0; i < toPump.size(); i++) {
            toPump.get(i).pump();
        }
        toPump.clear();
        for (int i = 0; i < toFlush.size(); i++) {
            toFlush.get(i).flush();
        }
        toFlush.clear();
    }
}
