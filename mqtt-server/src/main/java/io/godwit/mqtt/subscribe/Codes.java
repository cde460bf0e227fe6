package io.godwit.mqtt.subscribe;

import io.godwit.mqtt.packet.field.ReasonCode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The reason codes of one packet's filters, set part by part in any order. Not thread-safe. */
final class Codes {
    private final List<ReasonCode> codes;
    private int missing;

    Codes(int count) {
        codes = new ArrayList<>(Collections.nCopies(count, ReasonCode.SUCCESS));
        missing = count;
    }

    /**
     * @param first index of the first filter of {@code part} in the packet; each index is set once
     * @return whether all codes are set now
     */
    boolean put(int first, List<ReasonCode> part) {
        for (int i = 0; i < part.size(); i++) {
            codes.set(first + i, part.get(i));
        }
        missing -= part.size();
        return missing == 0;
    }

    List<ReasonCode> all() {
        return codes;
    }
}
