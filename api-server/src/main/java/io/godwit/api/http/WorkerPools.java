package io.godwit.api.http;

/**
 * The worker threads of the API, by their work: one kind must not wait for another.
 *
 * @param requests does what requests need and the event loop must not wait for
 * @param bodies produces streamed bodies
 * @param encoders encodes large answers
 */
public record WorkerPools(Workers requests, Workers bodies, Workers encoders) {
    public static WorkerPools create() {
        return new WorkerPools(new Workers(), Workers.ofStreams(), Workers.ofEncoding());
    }

    public void close() {
        requests.close();
        bodies.close();
        encoders.close();
    }
}
