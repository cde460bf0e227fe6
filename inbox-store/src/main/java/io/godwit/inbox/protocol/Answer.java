package io.godwit.inbox.protocol;

import io.godwit.kv.client.RangeException;

/** Who waits for the answer to one command. One of the methods is called, once, unless the process ends before. */
public interface Answer {
    /** For commands that are not answered. */
    Answer NOBODY = new Answer() {
        @Override
        public void reply(InboxReply reply) {}

        @Override
        public void fail(RangeException cause) {}
    };

    /** Called on a range executor; must hand over and return at once, and must not throw. */
    void reply(InboxReply reply);

    /** The command had no effect, or its effect is not known: see {@link RangeException.Cause}. On any thread. */
    void fail(RangeException cause);
}
