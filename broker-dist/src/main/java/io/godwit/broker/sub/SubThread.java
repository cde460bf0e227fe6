package io.godwit.broker.sub;

/** The one thread that subscriptions of SubBrokers are confined to. */
interface SubThread {
    /** Runs it soon, behind what was posted before; not at all when the thread has ended. Any thread. */
    void post(Runnable task);

    /** Runs it in a while. */
    void after(long millis, Runnable task);

    /** Since some time in the past; never back. */
    long millis();
}
