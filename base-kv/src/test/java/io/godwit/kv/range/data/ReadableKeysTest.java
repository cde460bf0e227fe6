package io.godwit.kv.range.data;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.kv.coprocessor.RangeBounds;
import io.godwit.kv.operate.StoreOperations.RangeInfo;
import io.godwit.kv.raft.RaftGroup;
import io.godwit.kv.range.state.RangeCommand;
import io.godwit.kv.range.state.RangeState;
import io.godwit.plugin.balance.RangeLoad;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Log texts about ranges show keys in a readable form. */
class ReadableKeysTest {
    private static final byte[] KEY = {7, 'a', '/', (byte) 0x80};
    private static final String TEXT = "\\x07a/\\x80";

    @Test
    void keysAreTextWhereverARangeIsWrittenOfInALog() {
        RaftGroup.Membership members = new RaftGroup.Membership(List.of("a"), List.of());
        List<Object> logged = List.of(
                new RangeState(1, 2, new RangeBounds(new byte[0], KEY), members, new RangeState.Absorbing(2, 1, KEY)),
                new RangeCommand.Split(1, 2, KEY),
                new RangeCommand.Absorb(1, 2, 1, KEY),
                new RangeCommand.Entry(KEY, new byte[3]),
                new RangeInfo(1, KEY, null, 1, List.of("a"), List.of(), "a", 1, 1, RangeLoad.UNKNOWN, "", List.of()));
        assertThat(logged)
                .allSatisfy(each -> assertThat(each.toString()).contains(TEXT).doesNotContain("[B@"));
        assertThat(logged.get(0).toString()).contains("bounds=[first, " + TEXT + ")");
    }
}
