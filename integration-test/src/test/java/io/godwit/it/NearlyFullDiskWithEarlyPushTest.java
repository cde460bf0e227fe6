package io.godwit.it;

import org.junit.jupiter.api.Tag;

/** Nothing of it depends on whether messages are sent before they are stored. */
@Tag("long")
class NearlyFullDiskWithEarlyPushTest extends NearlyFullDiskTest {
    @Override
    boolean earlyPush() {
        return true;
    }
}
