/*
 * `foretrace ranks`: the ranks of an MPI job on a simulated network (docs/ranks.md).
 */
#include <stdlib.h>

#include <gsl/gsl_errno.h>

#include "formats/cli/commands.h"
#include "formats/cli/text_output.h"
#include "formats/commands/mpi_operands.h"
#include "formats/commands/trace_operand.h"
#include "machines/commands/report_options.h"
#include "predict/commands/ranks/blocks_report.h"
#include "predict/commands/ranks/captured_runs.h"
#include "predict/commands/ranks/laws_report.h"
#include "predict/commands/ranks/ranks_report.h"
#include "predict/ranks/job_events.h"
#include "predict/ranks/network_run.h"

struct request {
    const struct ft_arguments *arguments;
    struct ft_report_options options;
    struct ft_network network;
    struct ft_mpi_operands operands; /* of one run; or, where one is forecast: */
    struct ft_captured_runs runs;
    struct ft_rank_size target;
    struct ft_job_laws laws;
    struct ft_mpi_job forecast;
    struct ft_rank_classes classes;
    bool is_forecast;
    struct ft_job_messages messages;
    struct ft_rank_speeds speeds;
    struct ft_job_times times;
};

static const struct ft_mpi_job *job_of(const struct request *request)
{
    return request->is_forecast ? &request->forecast : &request->operands.job;
}

static int simulate(struct request *request, struct ft_diag *diag)
{
    const struct ft_mpi_job *job = job_of(request);
    const struct ft_machine *machine =
        request->options.machine_count ? &request->options.machines[0] : NULL;
    const struct ft_rank_places places = {.space = &request->laws.space,
                                          .size = &request->target,
                                          .classes = request->classes.of_rank};
    char program[PATH_MAX];
    FT_TRY(ft_network_find_program(program, diag));
    FT_TRY(ft_job_check_whole(job, diag));
    FT_TRY(ft_network_check_ranks(&request->network, job->size, diag));
    FT_TRY(ft_job_messages_read(job, &request->messages, diag));
    FT_TRY(ft_rank_speeds_read(request->arguments, job, request->is_forecast ? &places : NULL,
                               machine, &request->speeds, diag));
    FT_TRY(ft_job_times_init(job, &request->times, diag));
    FT_TRY(ft_network_run(program, job, &request->messages, request->speeds.seconds_per_instruction,
                          &request->network, &request->times, diag));
    return ft_job_times_analyse(job, &request->messages, request->network.eager_limit_bytes,
                                &request->times, diag);
}

static int write_picture(const struct request *request, const struct ft_ranks_report *report,
                         struct ft_diag *diag)
{
    const char *path = ft_option_last(request->arguments, "svg");
    struct ft_text_output output;
    if (!path)
        return FT_OK;
    FT_TRY(ft_text_output_create(path, &output, diag));
    ft_ranks_svg(report, output.stream);
    return ft_text_output_finish(&output, FT_OK, diag);
}

static int print(const struct request *request, struct ft_diag *diag)
{
    const struct ft_ranks_report report = {.job = job_of(request),
                                           .messages = &request->messages,
                                           .network = &request->network,
                                           .speeds = &request->speeds,
                                           .times = &request->times,
                                           .runs = request->is_forecast ? &request->runs : NULL,
                                           .size = &request->target,
                                           .laws = &request->laws,
                                           .classes = &request->classes};
    FT_TRY(write_picture(request, &report, diag));
    switch (request->options.form) {
    case FT_REPORT_JSON:
        FT_TRY(ft_ranks_json(&report, stdout, diag));
        break;
    case FT_REPORT_CSV:
        FT_TRY(ft_ranks_csv(&report, stdout, diag));
        break;
    default:
        FT_TRY(ft_ranks_text(&report, stdout, diag));
    }
    return ft_stdout_finish(diag);
}

/* The job at --at, from the runs that were captured. */
static int forecast(struct request *request, struct ft_diag *diag)
{
    FT_TRY(ft_captured_runs_open(request->arguments, &request->runs, diag));
    FT_TRY(ft_captured_runs_target(&request->runs, request->arguments, &request->target, diag));
    FT_TRY(ft_captured_runs_learn(&request->runs, &request->target, &request->laws, diag));
    FT_TRY(ft_rank_classes_find(&request->laws, &request->target, &request->classes, diag));
    return ft_job_laws_forecast(&request->laws, &request->target, &request->forecast, diag);
}

/* Laws or blocks. Without --at: of the laws that the runs have, whatever they give elsewhere. */
static int show_laws(struct request *request, struct ft_diag *diag)
{
    const bool has_target = ft_option_count(request->arguments, "at") > 0;
    FT_TRY(ft_captured_runs_open(request->arguments, &request->runs, diag));
    if (has_target)
        FT_TRY(ft_captured_runs_target(&request->runs, request->arguments, &request->target, diag));
    const struct ft_rank_size *target = has_target ? &request->target : NULL;
    FT_TRY(ft_captured_runs_learn(&request->runs, target, &request->laws, diag));
    if (target)
        FT_TRY(ft_rank_classes_find(&request->laws, target, &request->classes, diag));
    FT_TRY(ft_option_count(request->arguments, "laws")
               ? ft_job_laws_print(&request->laws, request->options.form, stdout, diag)
               : ft_rank_blocks_print(&request->runs, &request->laws, target,
                                      target ? &request->classes : NULL, request->options.form,
                                      stdout, diag));
    return ft_stdout_finish(diag);
}

static int show_calls(struct request *request, struct ft_diag *diag)
{
    FT_TRY(ft_rank_calls_print(job_of(request), stdout, diag));
    return ft_stdout_finish(diag);
}

static int make(struct request *request, struct ft_diag *diag)
{
    const struct ft_arguments *arguments = request->arguments;
    request->options.form = ft_report_form_read(arguments);
    if (ft_option_count(arguments, "laws") || ft_option_count(arguments, "blocks"))
        return show_laws(request, diag);
    if (ft_option_count(arguments, "network"))
        FT_TRY(ft_network_read(ft_option_last(arguments, "network"), &request->network, diag));
    if (ft_option_count(arguments, "machine"))
        FT_TRY(ft_report_machines_read(arguments, &request->options, diag));
    request->is_forecast = ft_at_has_ranks(arguments);
    FT_TRY(request->is_forecast ? forecast(request, diag)
                                : ft_mpi_operands_open(arguments, true, &request->operands, diag));
    if (ft_option_count(arguments, "calls"))
        return show_calls(request, diag);
    FT_TRY(simulate(request, diag));
    return print(request, diag);
}

static void fini(struct request *request)
{
    ft_job_times_fini(&request->times);
    ft_rank_speeds_fini(&request->speeds);
    ft_job_messages_fini(&request->messages);
    ft_mpi_job_fini(&request->forecast);
    ft_rank_classes_fini(&request->classes);
    ft_job_laws_fini(&request->laws);
    ft_captured_runs_close(&request->runs);
    ft_mpi_operands_close(&request->operands);
    ft_network_fini(&request->network);
    ft_report_options_fini(&request->options);
}

static int run(const struct ft_arguments *arguments)
{
    struct ft_diag diag = {0};
    struct request request = {.arguments = arguments};
    gsl_set_error_handler_off(); /* GSL's own handler aborts */
    if (ft_operand_count(arguments) == 0)
        return ft_command_misuse(arguments, "expected the traces of all ranks");
    const bool shows_laws =
        ft_option_count(arguments, "laws") || ft_option_count(arguments, "blocks");
    const bool simulates = !shows_laws && !ft_option_count(arguments, "calls");
    if (ft_option_count(arguments, "at") && !ft_at_has_ranks(arguments) && !shows_laws &&
        !ft_option_count(arguments, "model"))
        return ft_command_misuse(arguments, "--at without P=RANKS is for --model, --laws and "
                                            "--blocks: of which run?");
    if (simulates && !ft_option_count(arguments, "network"))
        return ft_command_misuse(arguments, "--network is needed: what joins the ranks");
    if (simulates && !ft_option_count(arguments, "rate") &&
        !ft_option_count(arguments, "seconds") && !ft_option_count(arguments, "model"))
        return ft_command_misuse(arguments, "--rate, --seconds or --model is needed: how long "
                                            "computation takes");
    const int status = make(&request, &diag);
    fini(&request);
    return status == FT_OK ? 0 : ft_command_fail(arguments, &diag);
}

static const struct ft_option ranks_options[] = {
    {"network", 'n', "FILE", "what joins the ranks: a YAML file (docs/ranks.md)", .reads = true},
    {"rate", 0, "COUNT", "instructions per second of each rank: 2G", .excludes = "seconds model"},
    {"seconds", 0, "RANK=SECONDS",
     "what a rank computes takes so long, measured or forecast; SECONDS: for all ranks",
     .excludes = "model", .repeats = true},
    {"model", 0, "FILE",
     "the model of each rank ('fit'), whose time is forecast; %r in the name is the rank, %c its "
     "class. A run that is forecast has its parameters, P, and each rank's block of them: Nx",
     .needs = "machine", .reads = true},
    {"machine", 'm', "MACHINE", FT_MACHINE_HELP, .needs = "model", .reads = true},
    {"at", 0, "NAME=VALUE",
     "with P=RANKS: forecast the run with so many ranks, from the traces of several runs; else "
     "where the models are evaluated",
     .repeats = true},
    {"laws", 0, NULL,
     "show how the calls of several runs grow with their parameters and ranks instead",
     .excludes = "calls blocks network rate seconds model svg"},
    {"blocks", 0, NULL,
     "list what each rank has of the parameters of several runs instead, and its class: what "
     "models of its computation are fitted over",
     .excludes = "calls network rate seconds model svg"},
    {"calls", 0, NULL, "list the calls of all ranks instead, captured or forecast",
     .excludes = "rate seconds model svg json csv"},
    {"svg", 0, "FILE", "also draw the timeline of all ranks", .writes = FT_FILE_SVG},
    {"json", 0, NULL, "as JSON (docs/json.md)", .excludes = "csv"},
    {"csv", 0, NULL, "the ranks as CSV"},
    FT_WIDE_OPTION,
};

const struct ft_command ft_ranks_command = {
    .name = "ranks",
    .synopsis = "ranks [options] --network FILE (--rate COUNT | --seconds ... | --model ...) "
                "TRACE...",
    .summary = "the ranks of an MPI program on a simulated network",
    .details =
        "Takes the traces of all ranks of one run, and makes their MPI calls on a network that a\n"
        "file describes: latency, bandwidth, overhead, eager limit, topology. What a rank does\n"
        "between its calls takes its instructions' time on the target. The result is the time of\n"
        "the run, what each rank computes, communicates and waits, the load imbalance and the\n"
        "critical path. SimGrid simulates the network.\n"
        "\n"
        "  mpirun -n 4 foretrace capture -o 'halo-%r.h5' -- ./halo 24 10\n"
        "  foretrace ranks --network net.yaml --rate 2G --svg halo.svg halo-*.h5\n"
        "  foretrace ranks -n net.yaml -m amd-zen5 --model 'halo-%r.model' --at N=24 \\\n"
        "      halo-*.h5\n"
        "\n"
        "With --at P=RANKS it takes the traces of several runs, each with all its ranks, captured\n"
        "with -D for what varies besides; and forecasts the calls of a run that was not captured.\n"
        "\n"
        "  foretrace ranks -n net.yaml --rate 2G --at N=96,P=64 halo-*.h5\n"
        "  foretrace ranks --laws halo-*.h5\n"
        "\n"
        "Models of a rank's computation run over its block, which --blocks lists:\n"
        "\n"
        "  foretrace ranks --blocks halo-*.h5\n"
        "  foretrace replay -D Nx=12 -D Ny=12 -D Nz=24 -o 4-24.h5 halo-4-24-0.h5 ...\n"
        "  foretrace fit -p Nx -p Ny -p Nz -o halo.model 4-24.h5 ...\n"
        "  foretrace ranks -n net.yaml -m amd-zen5 --model halo.model --at N=96,P=64 \\\n"
        "      halo-*.h5\n",
    .options = ranks_options,
    .option_count = sizeof ranks_options / sizeof *ranks_options,
    .run = run,
};
