package io.godwit.it.crash;

import java.io.IOException;

/** Cuts ranges of a broker's store of sessions in two. */
interface Splitter {
    /**
     * Cuts one range, wherever that halves it.
     *
     * @return whether it did; not when no range has two parts
     * @throws IOException if it cannot be asked for, or failed
     */
    boolean split() throws IOException;
}
