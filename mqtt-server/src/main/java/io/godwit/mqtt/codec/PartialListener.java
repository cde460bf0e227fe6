package io.godwit.mqtt.codec;

/** Is told of packets that take several reads to arrive. Called on the channel's event loop. */
public interface PartialListener {
    /** For channels where nobody keeps account. */
    PartialListener NONE = new PartialListener() {
        @Override
        public void onPartial(int arrivedBytes, int frameBytes) {}

        @Override
        public void onPartialEnded() {}
    };

    /**
     * A read has left a packet unfinished whose length is known.
     *
     * @param arrivedBytes as far as it has arrived, in this read and earlier ones
     * @param frameBytes when it is whole, type and length included
     */
    void onPartial(int arrivedBytes, int frameBytes);

    /** The packet that {@link #onPartial} told of is whole, and about to be handed on, or will never be. */
    void onPartialEnded();
}
