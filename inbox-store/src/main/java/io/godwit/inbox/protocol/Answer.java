package io.godwit.inbox.protocol;

import io.godwit.kv.client.RangeException;

/** Receives the answer to one command. Exactly one method is called, once, unless the process ends first. */
public interface Answer {
    /** For commands without an answer. */
    Answer NOBODY = new Answer() {
        @Override
        public void reply(InboxReply reply) {}

        @Override
        public void fail(RangeException cause) {}
    };

    /** Called on a range executor; must hand over and return at once, and must not throw. */
    void reply(InboxReply reply);

    /** The command had no effect, or its effect is unknown: see {@link RangeException.Cause}. On any thread. */
    void fail(RangeException cause);
}
