package io.godwit.broker.sub;

/** The thread that subscriptions of SubBrokers are confined to. */
interface SubThread {
    /** Runs a task soon, in the order of the calls; not at all if the thread has ended. Any thread. */
    void post(Runnable task);

    /** Runs a task after a delay. */
    void after(long millis, Runnable task);

    /** Milliseconds since some time in the past; never steps back. */
    long millis();
}
