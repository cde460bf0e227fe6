package io.godwit.inbox.local;

import io.godwit.inbox.client.InsertRequest;
import io.godwit.inbox.protocol.Answer;
import io.godwit.inbox.protocol.DeliveryStream;
import io.godwit.inbox.protocol.InboxHome;
import io.godwit.inbox.protocol.InboxId;
import io.godwit.inbox.protocol.InboxReply;
import io.godwit.inbox.protocol.RefusalGate;
import io.godwit.inbox.protocol.SessionCommand;
import io.godwit.inbox.report.InboxReports;
import io.godwit.kv.client.RangeClient;
import io.godwit.plugin.event.DropReason;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The leaders of this process, for one sender, here or on another node. Thread-safe. */
public final class LocalHome implements InboxHome {
    private final RangeClient ranges;
    private final InboxReports reports;
    private final RefusalGate gate = new RefusalGate();

    public LocalHome(RangeClient ranges, InboxReports reports) {
        this.ranges = ranges;
        this.reports = reports;
    }

    @Override
    public void ask(SessionCommand command, long round, @Nullable DeliveryStream deliveries, Answer answer) {
        SessionCall call = new SessionCall(command, deliveries, answer, gate, round);
        ranges.submit(call.prefix(), call);
    }

    @Override
    public void insert(InsertRequest request, long[] rounds, Answer answer) {
        int count = request.targets().size();
        if (count == 0) {
            answer.reply(new InboxReply.Inserted(List.of()));
            return;
        }
        InsertCall.Rounds own = new InsertCall.Rounds(gate, rounds);
        InsertParts parts = new InsertParts(count, 1, answer);
        ranges.submitParts(count, target -> InsertCall.keyOf(request, target), targets -> {
            parts.partAdded();
            return new InsertCall(request, targets, parts, false, own);
        });
        parts.partDone(); // the part that was open while the others were made
    }

    @Override
    public void dropped(InboxId inbox, String topic) {
        reports.dropped(inbox, topic, DropReason.SLOW_CONSUMER);
    }

    @Override
    public boolean isWritable() {
        return true;
    }
}
