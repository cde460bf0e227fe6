package io.godwit.mqtt.codec;

import java.util.ArrayList;
import java.util.List;

/** Records its calls. Holds nothing unless asked to. */
class RecordingReadListener implements ReadListener {
    private final List<String> told;
    /** Callbacks to run when the CONNECT is answered, one for each held packet. */
    final List<Runnable> held = new ArrayList<>();

    boolean holds;

    /** @param told receives the recorded calls */
    RecordingReadListener(List<String> told) {
        this.told = told;
    }

    @Override
    public void onPartial(int arrivedBytes, int frameBytes) {
        told.add(arrivedBytes + " of " + frameBytes);
    }

    @Override
    public void onPartialEnded() {
        told.add("ended");
    }

    @Override
    public void onTurnOver() {
        told.add("turn over");
    }

    @Override
    public void onCaughtUp() {
        told.add("caught up");
    }

    @Override
    public void onDropped(long bytes) {
        told.add("dropped " + bytes);
    }

    @Override
    public boolean holds(Runnable goOn) {
        if (holds) {
            held.add(goOn);
        }
        return holds;
    }
}
