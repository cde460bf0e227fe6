package io.godwit.broker;

import io.godwit.cluster.Member;
import io.godwit.dist.record.RecordReaders;
import java.util.Collection;
import java.util.SortedSet;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Members of an earlier version that have joined although operators have set something (a ban, a token, a user): they
 * cannot read it, so their dist store stops and they open no listeners. They cannot say so themselves in words that
 * help; the others tell of them. Looks by one thread, {@link #count} by any.
 */
final class EarlierMembers {
    private static final Logger LOG = LoggerFactory.getLogger(EarlierMembers.class);

    private final LackNotice notice = new LackNotice();
    private final Consumer<String> tell;
    private volatile int count;

    EarlierMembers() {
        this(EarlierMembers::log);
    }

    /** @param tell given what lasts from one look to the next, and an empty text when it is over */
    EarlierMembers(Consumer<String> tell) {
        this.tell = tell;
    }

    /**
     * A member says what it reads a moment after it has joined: looks are some seconds apart, and one alone counts for
     * nothing.
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

    /** How many there are. */
    int count() {
        return count;
    }

    private static void log(String nodes) {
        if (nodes.isEmpty()) {
            LOG.info("all members read what operators have set");
        } else {
            LOG.warn(
                    "members of an earlier version cannot read what operators have set (bans, tokens, users, rules), "
                            + "and do not come to serve: update them nodes={}",
                    nodes);
        }
    }
}
