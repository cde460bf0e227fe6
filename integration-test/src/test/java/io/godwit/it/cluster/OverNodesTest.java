package io.godwit.it.cluster;

import org.junit.jupiter.api.Nested;

/**
 * Three packaged brokers are one broker to their clients, whichever nodes these use. Both groups of tests use the same
 * nodes, because these take longer to start than either group takes.
 */
class OverNodesTest extends ThreeNodes {
    @Nested
    class Messages extends MessagesAcrossNodes {}

    @Nested
    class Sessions extends SessionsAcrossNodes {}
}
