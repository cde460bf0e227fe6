package io.godwit.it.crash;

import io.godwit.it.broker.AdminCalls;
import io.godwit.it.broker.AdminCalls.ListedRange;
import io.godwit.it.broker.BrokerProcess;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * Cuts ranges of the packaged broker as an operator does: by the requests of {@code bin/godwit-admin}, without its
 * start, which takes seconds under load.
 */
final class AdminSplitter implements Splitter {
    private static final String STORE = "inbox";

    private final BrokerProcess broker;
    private final Random random;

    AdminSplitter(BrokerProcess broker, Random random) {
        this.broker = broker;
        this.random = random;
    }

    /** Tries one range after the other, until one can be cut. */
    @Override
    public boolean split() throws IOException {
        try (AdminCalls admin = new AdminCalls(broker)) {
            List<ListedRange> ranges = new ArrayList<>(admin.ranges(STORE));
            Collections.shuffle(ranges, random);
            for (ListedRange range : ranges) {
                String result = admin.split(STORE, range, null);
                if (result.startsWith("DONE")) {
                    return true;
                }
                if (!result.startsWith("REFUSED") && !result.startsWith("STALE")) {
                    throw new IOException("split of " + range + ": " + result);
                }
            }
            return false;
        } catch (StatusRuntimeException e) {
            throw new IOException(e);
        }
    }
}
