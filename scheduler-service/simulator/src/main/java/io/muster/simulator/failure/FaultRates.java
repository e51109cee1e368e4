package io.muster.simulator.failure;

/**
 * How often what fails, and for how long it is out.
 *
 * <p>Where the defaults come from (names as in reference/health.md 4a and 4b):
 * <ul>
 *   <li>faults that stop a node: 6.5 per 1,000 node-days, Meta RSC-1 (arXiv 2410.21680);
 *   <li>warnings: 15.1 per 1,000 node-days. Ant (DLRover blog) counts 0.27 % of GPUs a day, which is 27 a day for 10,000
 *       GPUs; 8 of them are the faults above;
 *   <li>power units: Llama 3 (arXiv 2407.21783) lost 3 power supplies and 2 chassis in 54 days on 2,048 nodes; each is taken
 *       as a whole unit: 0.057 a day on 1,250 nodes;
 *   <li>leaf switches: of Llama 3's 35 interruptions by switches and cables a tenth is taken as a whole switch
 *       (assumption): 0.040 a day on 1,250 nodes;
 *   <li>bad releases: one in 30 days (assumption). It reaches 2 % of the nodes, the share at which the breaker of
 *       reference/health.md section 7 stops it, half of them fail within 10 minutes, and it is rolled back within the hour;
 *   <li>repair: half of the faults end with a reset or reboot and a validation, 30 min to 2.2 h (Delta, SC'25: 2.2 h); half
 *       need hardware, 24 to 72 h (assumption around the 48 h of section 4b).
 * </ul>
 *
 * @param faultsPerMillionNodeDays nodes that stop, by themselves
 * @param warningsPerMillionNodeDays findings that stop nobody
 * @param powerFaultsPerThousandDays whole power units, in the whole cluster
 * @param leafFaultsPerThousandDays whole leaf switches, in the whole cluster
 * @param badReleasesPerThousandDays in the whole cluster
 * @param quickRepairPercent of the faults of single nodes
 */
record FaultRates(
        long faultsPerMillionNodeDays,
        long warningsPerMillionNodeDays,
        long powerFaultsPerThousandDays,
        long leafFaultsPerThousandDays,
        long badReleasesPerThousandDays,
        int quickRepairPercent,
        Span quickRepair,
        Span hardwareRepair,
        Span warning,
        Span powerOutage,
        Span leafOutage,
        Release release) {

    /** A bad release: so many of 1,000 nodes get it, so many percent of them fail within the window. */
    record Release(int wavePerMille, int failingPercent, Span window, Span rollback) {}

    FaultRates {
        if (faultsPerMillionNodeDays < 0
                || warningsPerMillionNodeDays < 0
                || powerFaultsPerThousandDays < 0
                || leafFaultsPerThousandDays < 0
                || badReleasesPerThousandDays < 0
                || quickRepairPercent < 0
                || quickRepairPercent > 100) {
            throw new IllegalArgumentException(
                    "a rate is below 0, or quickRepairPercent (" + quickRepairPercent + ") is not 0 to 100");
        }
    }

    /** Single nodes only. */
    static FaultRates single() {
        return new FaultRates(
                6_500,
                15_100,
                0,
                0,
                0,
                50,
                Span.minutes(30, 132),
                Span.minutes(24 * 60, 72 * 60),
                Span.minutes(15, 120),
                Span.minutes(60, 480),
                Span.minutes(10, 240),
                new Release(20, 50, Span.minutes(0, 10), Span.minutes(30, 60)));
    }

    /** Power units, leaf switches and bad releases too. */
    FaultRates withCorrelated() {
        return withCorrelated(57, 40, 33);
    }

    FaultRates withCorrelated(long power, long leaf, long releases) {
        return new FaultRates(
                faultsPerMillionNodeDays,
                warningsPerMillionNodeDays,
                power,
                leaf,
                releases,
                quickRepairPercent,
                quickRepair,
                hardwareRepair,
                warning,
                powerOutage,
                leafOutage,
                release);
    }

    FaultRates withFaults(long perMillionNodeDays) {
        return new FaultRates(
                perMillionNodeDays,
                warningsPerMillionNodeDays,
                powerFaultsPerThousandDays,
                leafFaultsPerThousandDays,
                badReleasesPerThousandDays,
                quickRepairPercent,
                quickRepair,
                hardwareRepair,
                warning,
                powerOutage,
                leafOutage,
                release);
    }

    FaultRates withWarnings(long perMillionNodeDays) {
        return new FaultRates(
                faultsPerMillionNodeDays,
                perMillionNodeDays,
                powerFaultsPerThousandDays,
                leafFaultsPerThousandDays,
                badReleasesPerThousandDays,
                quickRepairPercent,
                quickRepair,
                hardwareRepair,
                warning,
                powerOutage,
                leafOutage,
                release);
    }

    FaultRates withRepair(int quickPercent, Span quick, Span hardware) {
        return new FaultRates(
                faultsPerMillionNodeDays,
                warningsPerMillionNodeDays,
                powerFaultsPerThousandDays,
                leafFaultsPerThousandDays,
                badReleasesPerThousandDays,
                quickPercent,
                quick,
                hardware,
                warning,
                powerOutage,
                leafOutage,
                release);
    }
}
