package io.godwit.broker.cluster;

import io.godwit.cluster.member.Member;
import io.godwit.dist.record.RecordReaders;
import java.util.Collection;
import java.util.SortedSet;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Members of an earlier version that have joined although operators have set records (bans, tokens, users). They cannot
 * read these, so their dist store stops and they open no listeners. Their own messages do not explain this, so the
 * other members report it. One thread calls {@link #look}, any {@link #count}.
 */
final class EarlierMembers {
    private static final Logger LOG = LoggerFactory.getLogger(EarlierMembers.class);

    private final LackNotice notice = new LackNotice();
    private final Consumer<String> tell;
    private volatile int count;

    EarlierMembers() {
        this(EarlierMembers::log);
    }

    /**
     * @param tell receives the nodes once they are unable at two looks in a row, and an empty text when none is any
     * more
     */
    EarlierMembers(Consumer<String> tell) {
        this.tell = tell;
    }

    /**
     * Looks once. A new member announces its version a moment after it has joined, so a single look proves nothing;
     * looks are some seconds apart.
     *
     * @param hasRecords whether operators have set anything
     */
    void look(boolean hasRecords, Collection<Member> members) {
        String unable = hasRecords ? String.join(", ", RecordReaders.unable(members)) : "";
        notice.look(unable, told -> {
            SortedSet<String> now = RecordReaders.unable(members);
            count = told.isEmpty() ? 0 : now.size();
            tell.accept(told);
        });
    }

    /** How many such members there are. */
    int count() {
        return count;
    }

    private static void log(String nodes) {
        if (nodes.isEmpty()) {
            LOG.info("all members read what operators have set");
        } else {
            LOG.warn(
                    "members of an earlier version cannot read what operators have set (bans, tokens, users, rules), "
                            + "and will not serve: update them nodes={}",
                    nodes);
        }
    }
}
