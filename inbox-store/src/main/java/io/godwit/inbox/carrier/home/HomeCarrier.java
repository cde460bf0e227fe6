package io.godwit.inbox.carrier.home;

import io.godwit.inbox.carrier.link.Timer;
import io.godwit.inbox.client.InsertRequest;
import io.godwit.inbox.protocol.Answer;
import io.godwit.inbox.protocol.DeliveryStream;
import io.godwit.inbox.protocol.InboxCarrier;
import io.godwit.inbox.protocol.InboxHome;
import io.godwit.inbox.protocol.InboxReply;
import io.godwit.inbox.protocol.SessionCommand;
import io.godwit.kv.client.RangeException;
import io.godwit.kv.client.RangeException.Cause;
import io.godwit.kv.client.WaitReports;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Brings each command to the node that leads its inbox. If that node refuses it, sends it again to the next leader, in
 * order for each inbox ({@link HomeFlows}). Thread-safe; never blocks.
 *
 * <p>A message for many inboxes is one frame per home, or several frames if there are very many: a home may become full
 * after one of them, and the others then wait. Inboxes that wait get their copies in frames of their own.
 *
 * <p>It is also sent under the lock of the flows, to keep the order of all its inboxes.
 */
public final class HomeCarrier implements InboxCarrier {
    /** Approximate bytes of the inboxes in one frame, so that a frame is little larger than its message. */
    private static final int PART_BYTES = 512 << 10;

    private final HomeFlows flows;

    public HomeCarrier(Homes homes, HomeSettings settings, WaitReports reports, LongSupplier nanoClock, Timer timer) {
        this.flows = new HomeFlows(homes, settings, reports, nanoClock, timer);
    }

    @Override
    public void ask(SessionCommand command, @Nullable DeliveryStream deliveries, Answer answer) {
        synchronized (flows) {
            flows.come(new SessionStep(flows, command, deliveries, answer));
        }
        flows.tell();
    }

    @Override
    public void insert(InsertRequest request, Answer answer) {
        int count = request.targets().size();
        if (count == 0) {
            answer.reply(new InboxReply.Inserted(List.of()));
            return;
        }
        HomeInsert insert = new HomeInsert(request, answer);
        synchronized (flows) {
            if (request.resend().mayNotBegin()) {
                RangeException cause = new RangeException(Cause.CLOSED, "an earlier message was not stored");
                flows.tellLater(insert.failed(0, cause));
            } else if (count == 1) {
                flows.come(new InsertStep(flows, insert, 0));
            } else {
                comeTogether(insert, count);
            }
        }
        flows.tell();
    }

    private void comeTogether(HomeInsert insert, int count) {
        Map<InboxHome, Part> parts = new LinkedHashMap<>();
        for (int i = 0; i < count && !insert.hasFailed(); i++) { // a part that was sent may have failed at once
            InsertStep step = new InsertStep(flows, insert, i);
            InboxHome home = flows.place(step);
            if (home != null) {
                Part part = parts.computeIfAbsent(home, key -> new Part());
                part.add(step);
                if (part.wireBytes >= PART_BYTES) {
                    parts.remove(home);
                    sendTogether(home, part.steps);
                }
            }
        }
        parts.forEach((home, part) -> sendTogether(home, part.steps));
    }

    /** Copies for one home in one frame. */
    private static final class Part {
        final List<InsertStep> steps = new ArrayList<>();
        int wireBytes;

        void add(InsertStep step) {
            steps.add(step);
            wireBytes += step.wireBytes();
        }
    }

    private void sendTogether(InboxHome home, List<InsertStep> steps) {
        long[] ofTargets = new long[steps.size()];
        for (int i = 0; i < ofTargets.length; i++) {
            ofTargets[i] = flows.round(steps.get(i));
        }
        InsertStep.send(flows, home, steps, ofTargets);
    }

    @Override
    public boolean isCrowded() {
        return flows.isCrowded();
    }

    /** Other nodes may lead now. Any thread. */
    public void leadersChanged() {
        flows.leadersChanged();
    }

    /** See {@link HomeFlows#look}. */
    void look() {
        flows.look();
    }

    /** Stops sending. */
    public void close() {
        flows.close();
    }

    /** Approximate heap of waiting commands, in bytes. Any thread. */
    public long waitingBytes() {
        return flows.waitingBytes();
    }

    /** Inboxes with commands under way or waiting. Any thread. */
    int flows() {
        return flows.size();
    }
}
