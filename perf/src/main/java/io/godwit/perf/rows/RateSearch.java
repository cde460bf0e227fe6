package io.godwit.perf.rows;

import io.godwit.perf.load.LoadFailedException;

/** Searches for the highest rate that is reached, in at most eleven attempts. */
final class RateSearch {
    private static final int MOST_DOUBLINGS = 6;
    private static final int HALVINGS = 4;

    private RateSearch() {}

    /** Tries one rate. */
    interface Attempt {
        /** Whether {@code rate}, in messages per second, is reached. */
        boolean reaches(double rate) throws LoadFailedException, InterruptedException;
    }

    /**
     * Doubles the rate until one is not reached, or halves it until one is; six times at most. Then it bisects the
     * interval in between four times, so that the result is at most 5 % below the highest rate that is reached, unless
     * that is more than 64 times {@code first}.
     *
     * @param first above 0
     * @return the highest rate that was reached; 0 if none was, down to a 64th of {@code first}
     */
    static double highest(double first, Attempt attempt) throws LoadFailedException, InterruptedException {
        double reached = 0;
        double missed = 0;
        double rate = first;
        for (int i = 0; i <= MOST_DOUBLINGS && (reached == 0 || missed == 0); i++) {
            if (attempt.reaches(rate)) {
                reached = rate;
                rate *= 2;
            } else {
                missed = rate;
                rate /= 2;
            }
        }
        for (int i = 0; i < HALVINGS && reached > 0 && missed > 0; i++) {
            double middle = Math.sqrt(reached * missed);
            if (attempt.reaches(middle)) {
                reached = middle;
            } else {
                missed = middle;
            }
        }
        return reached;
    }
}
